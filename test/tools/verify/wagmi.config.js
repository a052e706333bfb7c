import { blockExplorer } from '@wagmi/cli/plugins'

export default {
  out: 'generated.js',
  plugins: [
    blockExplorer({
      baseUrl: `${process.env.DEV_URL}/api`,
      contracts: [{ name: 'Box', address: process.env.BOX }],
    }),
  ],
}
