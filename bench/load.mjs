// Generates load in its own process: each message starts a run, the reply has its figures.
import autocannon from 'autocannon'

process.on('message', (load) => void run(load))

async function run({ amount, bodies, connections, seconds, url }) {
  const result = await autocannon({
    url,
    connections,
    ...(amount ? { amount } : { duration: seconds }),
    requests: bodies.map((body) => ({
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })),
  })
  process.send({
    perSecond: result.requests.average,
    requests: result['2xx'],
    p99: result.latency.p99,
    failed: result.errors + result.timeouts + result.non2xx,
  })
}
