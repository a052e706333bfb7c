const Vault = artifacts.require('./Vault.sol')

contract('Vault', (accounts) => {
  let vault

  before(async () => {
    vault = await Vault.deployed()
  })

  const sharesOf = async (who) => Number(await vault.balanceOf(who))

  /** The receipt of a transaction, when it is in a block. A node reads balances with the transactions that wait. */
  async function receiptOf(id) {
    for (;;) {
      const receipt = await tronWrap.trx.getUnconfirmedTransactionInfo(id)
      if (receipt.id) return receipt
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }

  /** Signs and sends what the node builds, and waits for its receipt. */
  async function send(transaction) {
    const signed = await tronWrap.trx.sign(transaction)
    const { result, txid } = await tronWrap.trx.sendRawTransaction(signed)
    assert.isTrue(result)
    return receiptOf(txid)
  }

  it('gives shares for coins, and logs it', async () => {
    const id = await vault.deposit({ callValue: 5000 })
    assert.equal(await sharesOf(accounts[0]), 5000)
    const { log } = await receiptOf(id)
    assert.include(
      log.map(({ topics }) => `0x${topics[0]}`),
      tronWrap.sha3('Deposited(address,uint256)'),
    )
    assert.equal(log.length, 2)
  })

  it('counts with the linked library', async () => {
    assert.equal(Number(await vault.shareOf(accounts[0])), 5000)
  })

  it('refuses a deposit of nothing, with its reason', async () => {
    let message
    try {
      await vault.deposit({ callValue: 0, shouldPollResponse: true })
    } catch (error) {
      message = String(error.message ?? error)
    }
    assert.match(message, /REVERT|no coins/)
  })

  it('estimates the energy of a call', async () => {
    const { energy_used: used, result } = await tronWrap.transactionBuilder.triggerConstantContract(
      vault.address,
      'deposit()',
      { callValue: 1 },
      [],
      accounts[0],
    )
    assert.isTrue(result.result)
    const { energy_required: required } = await tronWrap.transactionBuilder.estimateEnergy(
      vault.address,
      'deposit()',
      { callValue: 1 },
      [],
      accounts[0],
    )
    assert.isAtLeast(required, used)
  })

  it('serves a second account', async function () {
    if (accounts.length < 2) {
      console.log('    skipped: the node has no list of accounts, so there is no second one')
      return this.skip()
    }
    await vault.deposit({ from: accounts[1], callValue: 700 })
    assert.equal(await sharesOf(accounts[1]), 700)
    await vault.withdraw({ from: accounts[1] })
    assert.equal(await sharesOf(accounts[1]), 0)
  })

  it('stakes coins for energy, and unstakes them', async () => {
    const { transactionBuilder, trx } = tronWrap
    await send(await transactionBuilder.freezeBalanceV2(10e6, 'ENERGY', accounts[0]))
    const staked = async () => {
      const { frozenV2 = [] } = await trx.getUnconfirmedAccount(accounts[0])
      return frozenV2.find(({ type }) => type === 'ENERGY')?.amount ?? 0
    }
    const before = await staked()
    assert.isAtLeast(before, 10e6)
    await send(await transactionBuilder.unfreezeBalanceV2(10e6, 'ENERGY', accounts[0]))
    assert.equal(await staked(), before - 10e6)
  })
})
