/**
 * The contract through which `forge script` and other tools create contracts with a salt. It has the same address on every
 * Ethereum chain. anvil has it from the start too. Its input is the salt and the creation code.
 */
export const CREATE2_DEPLOYER = {
  address: '414e59b44847b379578588920ca78fbf26c0b4956c',
  code: '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
}
