// What the gateway uses of undici, in place of the package: its entry loads fetch, WebSockets, mocks and caches too.
import api from 'undici/lib/api/index.js'
import errors from 'undici/lib/core/errors.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import Pool from 'undici/lib/dispatcher/pool.js'

Object.assign(Dispatcher.prototype, { request: api.request })

export { errors, Pool }
