import { formatEther, parseEther } from 'viem'
import {
  useBalance,
  useBlockNumber,
  useConnect,
  useConnection,
  useConnectors,
  useDisconnect,
  useSendTransaction,
  useWaitForTransactionReceipt,
} from 'wagmi'

const RECEIVER = '0x00000000000000000000000000000000000000aa'

/** A button that connects the wallet of the browser; then its balance, and a button that sends one coin. */
export function Wallet() {
  const { address, isConnected } = useConnection()
  const [connector] = useConnectors()
  const connect = useConnect()
  const disconnect = useDisconnect()
  const { data: block } = useBlockNumber({ watch: true })
  return (
    <>
      <p>Block {`${block ?? '…'}`}</p>
      {isConnected ? (
        <>
          <Account address={address} />
          <button onClick={() => disconnect.mutate()}>Disconnect</button>
        </>
      ) : (
        <button disabled={!connector} onClick={() => connect.mutate({ connector })}>
          Connect wallet
        </button>
      )}
      {connect.error && <p role="alert">{connect.error.message}</p>}
    </>
  )
}

function Account({ address }) {
  const balance = useBalance({ address })
  const send = useSendTransaction()
  const receipt = useWaitForTransactionReceipt({ hash: send.data })
  return (
    <>
      <p>
        {address} has {balance.data ? formatEther(balance.data.value) : '…'} coins
      </p>
      <button
        disabled={send.isPending}
        onClick={() => send.mutate({ to: RECEIVER, value: parseEther('1') })}
      >
        Send one coin
      </button>
      {send.data && (
        <p role="status">
          {send.data}: {receipt.data?.status ?? 'waiting'}
        </p>
      )}
      {send.error && <p role="alert">{send.error.message}</p>}
    </>
  )
}
