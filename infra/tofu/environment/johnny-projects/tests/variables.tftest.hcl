# Every provider is mocked and every run only plans: nothing real is read or touched.
mock_provider "minio" {}

run "accepts_what_is_meant" {
  command = plan
}

run "refuses_a_name_that_s3_does_not_take" {
  command = plan

  variables {
    buckets = { www = { name = "Johnny_Projects" } }
  }

  expect_failures = [var.buckets]
}

run "refuses_a_bucket_twice" {
  command = plan

  variables {
    buckets = { www = { name = "johnny-www" }, web = { name = "johnny-www" } }
  }

  expect_failures = [var.buckets]
}
