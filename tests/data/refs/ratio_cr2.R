#!/usr/bin/env Rscript
# Reference for ratio_intervals: a ratio of sums over clusters is the intercept of a regression
# on the rows, and its CR2 error and Satterthwaite degrees of freedom are clubSandwich's.
#
#   Rscript ratio_cr2.R           writes ratio_cr2.csv (if it is not there) and ratio_cr2.json
#
# Needs r-base-core, r-cran-jsonlite, r-cran-clubsandwich. Run in this folder.

suppressPackageStartupMessages(library(clubSandwich))

# Unequal clusters: many, few, one that holds half of the rows, two, and a share near 1.
make <- function() {
  set.seed(20240607)
  sizes <- list(many = sample(1:30, 40, TRUE), few = c(3, 8, 1, 5, 12, 2),
                dominated = c(40, 5, 9, 6, 11, 4, 5), two = c(4, 9), edge = sample(4:20, 15, TRUE))
  rate <- c(many = .4, few = .6, dominated = .5, two = .5, edge = 3.6)
  rows <- lapply(names(sizes), function(judge) {
    n <- sizes[[judge]]
    lean <- plogis(rate[[judge]] + rnorm(length(n), 0, .8))
    cluster <- rep(sprintf("q%02d", seq_along(n)), n)
    p <- rep(lean, n)
    data.frame(judge, cluster, consistent = rbinom(length(p), 1, p),
               lean = sample(c(-1, 0, 1), length(p), TRUE, c(.2, .5, .3)),
               stable = round(runif(length(p)), 3))
  })
  write.csv(do.call(rbind, rows), "ratio_cr2.csv", row.names = FALSE, quote = FALSE)
}
if (!file.exists("ratio_cr2.csv")) make()
d <- read.csv("ratio_cr2.csv")

interval <- function(fit, cluster, ...) {
  ci <- conf_int(fit, vcov = vcovCR(fit, cluster = cluster, type = "CR2", ...),
                 level = .95, test = "Satterthwaite")
  list(estimate = ci$beta, se = ci$SE, df = ci$df, low = ci$CI_L, high = ci$CI_U)
}
one <- function(r, column) {
  y <- r[[column]]
  rows <- interval(lm(y ~ 1), r$cluster)
  # The same from cluster means, each weighted by its rows and with variance 1 / rows.
  m <- aggregate(y, list(cluster = r$cluster), mean)
  n <- as.numeric(table(r$cluster)[m$cluster])
  means <- interval(lm(x ~ 1, m, weights = n), m$cluster, target = 1 / n)
  stopifnot(all.equal(rows, means, tolerance = 1e-9))
  c(list(judge = r$judge[1], column = column, rows = nrow(r), clusters = nrow(m)), rows)
}
cases <- unlist(lapply(split(d, d$judge), function(r)
  lapply(c("consistent", "lean", "stable"), function(column) one(r, column))), recursive = FALSE)
result <- list(r = R.version.string, clubSandwich = as.character(packageVersion("clubSandwich")),
               cases = unname(cases))
jsonlite::write_json(result, "ratio_cr2.json", auto_unbox = TRUE, digits = I(12), pretty = TRUE)
