#!/usr/bin/env Rscript
# CR2 errors and Satterthwaite degrees of freedom of clubSandwich, for tests/analysis/test_cr2.py:
# a quadratic by lm, clustered by candidate, and a logit as its working model, clustered by question.
#
#   apt-get install -y --no-install-recommends r-base-core r-cran-jsonlite r-cran-clubsandwich
#   Rscript quality_gap_cr2.R    # reads quality_gap_cr2.csv, writes quality_gap_cr2.json beside it

suppressPackageStartupMessages({
  library(clubSandwich)
  library(jsonlite)
})

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
here <- dirname(script)
d <- read.csv(file.path(here, "quality_gap_cr2.csv"), stringsAsFactors = FALSE)

tested <- function(fit, cluster) {
  t <- coef_test(fit, vcov = "CR2", cluster = cluster, test = "Satterthwaite")
  data.frame(term = rownames(t), estimate = t$beta, se = t$SE, df = t$df_Satt, p = t$p_Satt)
}

quadratic <- lm(pc ~ owr + I(owr^2), data = d)
logit <- glm(cbind(first, second) ~ quality, family = binomial(), data = d,
             control = glm.control(epsilon = 1e-13, maxit = 100))
# The logit's last weighted least squares, each row times the root of its weight, as an lm. From
# the glm itself clubSandwich takes another symmetric root and gives se .08034 and .14786.
mu <- fitted(logit)
n <- d$first + d$second
root <- sqrt(n * mu * (1 - mu))
working <- as.data.frame(root * model.matrix(logit))
names(working) <- names(coef(logit))
working$z <- root * (predict(logit) + (d$first / n - mu) / (mu * (1 - mu)))
working <- lm(z ~ 0 + ., data = working)
stopifnot(max(abs(coef(working) - coef(logit))) < 1e-9)
result <- list(
  r = R.version.string, clubSandwich = as.character(packageVersion("clubSandwich")),
  quadratic = tested(quadratic, d$candidate), logit = tested(working, d$question)
)
write_json(result, file.path(here, "quality_gap_cr2.json"),
           auto_unbox = TRUE, digits = I(12), pretty = TRUE)
