import { FactList } from './parts.tsx'

/** The words of this chain that someone who knows Ethereum does not know: docs/ten-words.md in short. */
export function Words() {
  return (
    <section aria-labelledby="words">
      <h2 id="words">Words of this chain</h2>
      <FactList
        rows={[
          ['Sun', 'the smallest unit of the coin, as wei: 1,000,000 sun are 1 coin'],
          ['Energy', 'what running a contract costs, as gas'],
          ['Bandwidth', 'what the bytes of a transaction cost; some are free each day'],
          ['Fee limit', 'the most sun that a transaction may burn for energy'],
          ['Stake', 'locked coins, which give energy or bandwidth every day, and votes'],
          ['Permission', 'the keys and weights that may sign for an account'],
          ['Witness', 'an elected producer of blocks, as a validator'],
          ['Solidified', 'a block that no reorg removes, as finalized'],
          ['TRC-10', 'a token of the chain itself, without a contract'],
          [
            'Native id',
            'the hash of a transaction on this chain; wallets of Ethereum compute another one',
          ],
        ]}
      />
    </section>
  )
}
