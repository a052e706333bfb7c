// A reporter for every version of mocha: writes the results of all tests to the file SUITE_RESULT.
const { writeFileSync } = require('node:fs')

module.exports = function suiteReporter(runner) {
  const tests = []
  const add = (state) => (test, error) =>
    tests.push({ title: test.fullTitle(), state, ...(error && { message: String(error.message) }) })
  runner.on('pass', add('passed'))
  runner.on('pending', add('skipped'))
  runner.on('fail', add('failed'))
  runner.on('end', () => writeFileSync(process.env.SUITE_RESULT, JSON.stringify(tests)))
}
