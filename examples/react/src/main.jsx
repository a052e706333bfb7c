import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { createConfig, http, WagmiProvider } from 'wagmi'
import { injected } from 'wagmi/connectors'

import { readChain } from './chain.js'
import { Wallet } from './Wallet.jsx'

const chain = await readChain(import.meta.env.VITE_RPC_URL)
const config = createConfig({
  chains: [chain],
  connectors: [injected()],
  transports: { [chain.id]: http() },
})

createRoot(document.getElementById('root')).render(
  <WagmiProvider config={config}>
    <QueryClientProvider client={new QueryClient()}>
      <Wallet />
    </QueryClientProvider>
  </WagmiProvider>,
)
