import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { hasProgram } from '../test/support/programs.ts'

/** Stands in a body for a number that differs in each request, 16 hex digits. */
export const SALT = '@@@@@@SALT@@@@@@'

/** The result of a run: requests a second, milliseconds, microseconds of CPU time that wrk itself took for one request. */
export type WrkFigures = {
  perSecond: number
  p99: number
  requests: number
  failed: number
  own: number
}

/** Why runs with wrk are not possible here; undefined if they are. */
export function wrkMissing(): string | undefined {
  return hasProgram('wrk')
    ? undefined
    : 'no wrk on the PATH: install it, for example with apt-get install wrk'
}

/** Sends the bodies in turn over as many connections as given. wrk takes a tenth of the CPU time that autocannon takes. */
export async function runWrk({
  bodies,
  connections,
  seconds,
  url,
}: runWrk.Options): Promise<WrkFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-wrk-'))
  const script = join(folder, 'load.lua')
  writeFileSync(script, scriptOf(bodies))
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url]
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  await new Promise((resolve) => child.once('close', resolve))
  rmSync(folder, { recursive: true })
  const found = /^FIGURES (\d+) (\d+) (\d+) (\d+) ([\d.]+)$/m.exec(text)?.slice(1).map(Number)
  if (!found) throw new Error(`wrk did not run: ${text}`)
  const [requests = 0, micros = 1, p99 = 0, failed = 0, own = 0] = found
  return {
    failed,
    own: (own * 1e6) / requests,
    p99: p99 / 1_000,
    perSecond: requests / (micros / 1e6),
    requests,
  }
}

export declare namespace runWrk {
  type Options = { bodies: readonly string[]; connections: number; seconds: number; url: string }
}

/** Each body is a long string of Lua, which has no escapes. */
function scriptOf(bodies: readonly string[]): string {
  return `
local bodies = { ${bodies.map((body) => `[==[${body}]==]`).join(',\n')} }
local ready = {}
local at = 0
local salt = os.time() * 1000000
wrk.method = 'POST'
wrk.headers['content-type'] = 'application/json'
-- wrk knows the path and the host only now.
init = function()
  for i, body in ipairs(bodies) do
    if not body:find('${SALT}', 1, true) then ready[i] = wrk.format(nil, nil, nil, body) end
  end
end
request = function()
  at = at % #bodies + 1
  if ready[at] then return ready[at] end
  salt = salt + 1
  return wrk.format(nil, nil, nil, (bodies[at]:gsub('${SALT}', string.format('%016x', salt))))
end
done = function(summary, latency)
  local errors = summary.errors
  print(string.format('FIGURES %d %d %d %d %f', summary.requests, summary.duration, latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, os.clock()))
end
`
}
