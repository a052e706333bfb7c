// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Migrations {
  address public owner = msg.sender;
  uint256 public last_completed_migration;

  function setCompleted(uint256 completed) external {
    require(msg.sender == owner, "not the owner");
    last_completed_migration = completed;
  }
}
