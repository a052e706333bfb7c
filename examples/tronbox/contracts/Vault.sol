// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import "./Shares.sol";

/// Gives a token for coins, and the share of the coins back.
contract Vault is ERC20 {
  error Empty(address who);

  event Deposited(address indexed who, uint256 amount);

  constructor() ERC20("Share", "SHR") {}

  function deposit() external payable {
    require(msg.value > 0, "no coins");
    _mint(msg.sender, msg.value);
    emit Deposited(msg.sender, msg.value);
  }

  function shareOf(address who) public view returns (uint256) {
    return totalSupply() == 0 ? 0 : Shares.partOf(address(this).balance, balanceOf(who), totalSupply());
  }

  function withdraw() external {
    uint256 share = shareOf(msg.sender);
    if (share == 0) revert Empty(msg.sender);
    _burn(msg.sender, balanceOf(msg.sender));
    payable(msg.sender).transfer(share);
  }
}
