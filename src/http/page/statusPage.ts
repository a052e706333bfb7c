import { html } from 'hono/html'

import type { Health } from '../health.ts'

/** A page for somebody who opens the RPC address in a browser. */
export function statusPage(health: Health, paths: readonly string[]) {
  const rows: [string, string][] = [
    ['Status', [health.status, ...health.reasons].join(' · ')],
    [
      'Chain id',
      health.chainId ? `${Number(health.chainId)} (${health.chainId})` : 'not known yet',
    ],
    ['Head', `${health.head.number ?? 'none'} (solidified ${health.head.solid ?? 'none'})`],
    ['Head moved', health.head.age === null ? 'never' : `${health.head.age} s ago`],
    ['Upstream', health.upstream.state],
    ['Redis', health.redis],
    ['JSON-RPC', `POST or WebSocket at ${paths.join(', ')}`],
  ]
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>ethgate</title>
        <style>
          body {
            font:
              16px/1.5 system-ui,
              sans-serif;
            max-width: 44rem;
            margin: 3rem auto;
            padding: 0 1rem;
            color-scheme: light dark;
          }
          th {
            text-align: left;
            padding-right: 2rem;
            font-weight: 600;
            vertical-align: top;
          }
        </style>
      </head>
      <body>
        <h1>ethgate ${health.version}</h1>
        <p>An Ethereum JSON-RPC endpoint. Use this page’s address as RPC URL.</p>
        <table>
          ${rows.map(
            ([name, value]) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${value}</td>
              </tr>`,
          )}
        </table>
        <p>
          <a href="/health">/health</a> · <a href="/ready">/ready</a> ·
          <a href="/metrics">/metrics</a>
        </p>
      </body>
    </html>`
}
