import { type Hex, toEventSelector, toFunctionSelector } from 'viem'

// Functions, errors and events of the standards and contracts that most chains have. Uppercase names are events or errors.
const FUNCTIONS = `
name() symbol() decimals() totalSupply() balanceOf(address) transfer(address,uint256) transferFrom(address,address,uint256)
approve(address,uint256) allowance(address,address) increaseAllowance(address,uint256) decreaseAllowance(address,uint256)
mint(address,uint256) mint(uint256) burn(uint256) burn(address,uint256) burnFrom(address,uint256) nonces(address)
permit(address,address,uint256,uint256,uint8,bytes32,bytes32) DOMAIN_SEPARATOR() eip712Domain()
ownerOf(uint256) tokenURI(uint256) getApproved(uint256) setApprovalForAll(address,bool) isApprovedForAll(address,address)
safeTransferFrom(address,address,uint256) safeTransferFrom(address,address,uint256,bytes) tokenByIndex(uint256)
tokenOfOwnerByIndex(address,uint256) safeMint(address,uint256) onERC721Received(address,address,uint256,bytes)
balanceOf(address,uint256) balanceOfBatch(address[],uint256[]) safeTransferFrom(address,address,uint256,uint256,bytes)
safeBatchTransferFrom(address,address,uint256[],uint256[],bytes) uri(uint256) supportsInterface(bytes4)
owner() renounceOwnership() transferOwnership(address) acceptOwnership() pendingOwner() paused() pause() unpause()
hasRole(bytes32,address) grantRole(bytes32,address) revokeRole(bytes32,address) renounceRole(bytes32,address)
getRoleAdmin(bytes32) DEFAULT_ADMIN_ROLE() initialize() initialize(address) upgradeTo(address)
upgradeToAndCall(address,bytes) proxiableUUID() implementation() admin() changeAdmin(address)
multicall(bytes[]) multicall(uint256,bytes[]) aggregate((address,bytes)[]) aggregate3((address,bool,bytes)[])
tryAggregate(bool,(address,bytes)[]) getBlockNumber() getEthBalance(address) execute(address,uint256,bytes)
isValidSignature(bytes32,bytes) deposit() deposit(uint256) withdraw(uint256) withdraw() claim() stake(uint256)
asset() totalAssets() deposit(uint256,address) mint(uint256,address) withdraw(uint256,address,address)
redeem(uint256,address,address) convertToShares(uint256) convertToAssets(uint256) previewDeposit(uint256) maxDeposit(address)
getReserves() token0() token1() factory() sync() skim(address) swap(uint256,uint256,address,bytes) getPair(address,address)
createPair(address,address) addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)
removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)
swapExactTokensForTokens(uint256,uint256,address[],address,uint256)
swapTokensForExactTokens(uint256,uint256,address[],address,uint256) swapExactETHForTokens(uint256,address[],address,uint256)
swapExactTokensForETH(uint256,uint256,address[],address,uint256) getAmountsOut(uint256,address[]) getAmountsIn(uint256,address[])
slot0() fee() liquidity() latestAnswer() latestRoundData() getRoundData(uint80) version() description()
propose(address[],uint256[],bytes[],string) castVote(uint256,uint8) delegate(address) getVotes(address) delegates(address)
Error(string) Panic(uint256) ERC20InsufficientBalance(address,uint256,uint256)
ERC20InsufficientAllowance(address,uint256,uint256) ERC20InvalidSender(address) ERC20InvalidReceiver(address)
ERC20InvalidApprover(address) ERC20InvalidSpender(address) ERC721InvalidOwner(address) ERC721NonexistentToken(uint256)
ERC721IncorrectOwner(address,uint256,address) ERC721InsufficientApproval(address,uint256) OwnableUnauthorizedAccount(address)
OwnableInvalidOwner(address) AccessControlUnauthorizedAccount(address,bytes32) ReentrancyGuardReentrantCall()
EnforcedPause() ExpectedPause() InvalidInitialization() NotInitializing() SafeERC20FailedOperation(address)
AddressEmptyCode(address) FailedInnerCall() FailedCall() ECDSAInvalidSignature() ERC2612ExpiredSignature(uint256)`

const EVENTS = `
Transfer(address,address,uint256) Approval(address,address,uint256) ApprovalForAll(address,address,bool)
TransferSingle(address,address,address,uint256,uint256) TransferBatch(address,address,address,uint256[],uint256[])
URI(string,uint256) OwnershipTransferred(address,address) OwnershipTransferStarted(address,address)
RoleGranted(bytes32,address,address) RoleRevoked(bytes32,address,address) RoleAdminChanged(bytes32,bytes32,bytes32)
Paused(address) Unpaused(address) Upgraded(address) AdminChanged(address,address) BeaconUpgraded(address)
Initialized(uint8) Initialized(uint64) Deposit(address,uint256) Withdrawal(address,uint256)
Deposit(address,address,uint256,uint256) Withdraw(address,address,address,uint256,uint256) Sync(uint112,uint112)
Swap(address,uint256,uint256,uint256,uint256,address) Mint(address,uint256,uint256) Burn(address,uint256,uint256,address)
PairCreated(address,address,address,uint256) DelegateChanged(address,address,address)
DelegateVotesChanged(address,uint256,uint256) VoteCast(address,uint256,uint8,uint256,string) EIP712DomainChanged()`

/** The known signatures with this selector (4 bytes) or topic (32 bytes). */
export function signaturesOf(selector: Hex): string[] {
  const isTopic = selector.length > 10
  return (isTopic ? EVENTS : FUNCTIONS)
    .trim()
    .split(/\s+/)
    .filter((signature) =>
      isTopic
        ? toEventSelector(`event ${signature}`) === selector
        : toFunctionSelector(`function ${signature}`) === selector,
    )
}
