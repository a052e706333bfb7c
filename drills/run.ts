// Drills: checks that take too long for tests. They run on this machine against the built gateway.
//
//   npm run drills -- engines [redis|postgres]
//                                          Redis with Sentinel and as a Cluster: masters killed, a slot moved;
//                                          PostgreSQL: the primary killed, its standby promoted (Debian packages)
//   npm run drills -- hostile [case …]     hostile input, slow readers, full disks, each with a light client
//   npm run drills -- limits [case …]      callers, API keys and limits under load
//   npm run drills -- money [two|three|one]  payments through two replicas, nodes that fail by chance (DRILL_ROUNDS payments each,
//                                          default 200; NATIVE_PRODUCING_URL names real nodes, else a development chain)
//   npm run drills -- upstreams [fault …]  two replicas, two nodes, one of which fails (DRILL_SECONDS each, default 60)
//   npm run drills -- prometheus           alerts and dashboard against a real Prometheus
//   npm run drills -- rolling [main.js]    restarts of three replicas behind nginx and HAProxy (Debian packages), also
//                                          from and to another version, whose dist/main.js it names
//   npm run drills -- workers              SIGUSR2 while clients of several kinds keep their connections (Java 11 or newer)
//
// They need redis-server on the PATH; `rolling` and `prometheus` install their Debian packages if these are missing. Linux
// only, because memory is read from /proc.
import { engines } from './engines.ts'
import { hostile } from './hostile.ts'
import { limits } from './limits.ts'
import { money } from './money.ts'
import { endAll } from './processes.ts'
import { prometheus } from './prometheus.ts'
import { rolling } from './rolling.ts'
import { upstreams } from './upstreams.ts'
import { workers } from './workers.ts'

const drills: Record<string, (names: string[]) => Promise<boolean>> = {
  engines,
  hostile,
  limits,
  money,
  prometheus,
  rolling,
  upstreams,
  workers,
}
const [name = '', ...rest] = process.argv.slice(2)
const drill = drills[name]
if (!drill) {
  console.error(`usage: npm run drills -- ${Object.keys(drills).join('|')} [case …]`)
  process.exit(2)
}
process.on('exit', endAll)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
process.exit((await drill(rest)) ? 0 : 1)
