/** Whether `npm run test:long` runs: the long form of tests whose short form is part of `npm test`. */
export const isLong = process.env['TEST_LONG'] === '1'
