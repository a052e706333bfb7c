/** Whether `npm run test:long` runs. Tests have a short form for a developer who names their file. */
export const isLong = process.env['TEST_LONG'] === '1'
