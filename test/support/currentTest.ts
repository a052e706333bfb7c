import { aroundEach } from 'vitest'

import { currentTest } from './atEnd.ts'

// Vitest reads from the parameter which fixtures it needs, so it names what is used.
aroundEach((runTest, { onTestFinished }) => currentTest.run({ onTestFinished }, runTest))
