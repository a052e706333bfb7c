const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules')

/** A library, a proxy that is initialized with value, calls that wait for one another, an event argument that is read. */
module.exports = buildModule('Fund', (m) => {
  const owner = m.getAccount(0)
  const shares = m.library('Shares')
  const coin = m.contract('Coin')
  const logic = m.contract('Fund', [], { libraries: { Shares: shares }, id: 'FundLogic' })
  const data = m.encodeFunctionCall(logic, 'initialize', [coin])
  const proxy = m.contract('FundProxy', [logic, owner, data], { value: 7n })
  const fund = m.contractAt('Fund', proxy, { id: 'FundAtProxy' })
  const approved = m.call(coin, 'approve', [fund, 100n])
  const joined = m.call(fund, 'join', [100n], { after: [approved] })
  const part = m.readEventArgument(joined, 'Joined', 'shares', { emitter: fund })
  m.call(coin, 'transfer', [m.getAccount(1), part], { id: 'pass' })
  m.send('gift', m.getAccount(2), 5n)
  return { coin, fund, shares }
})
