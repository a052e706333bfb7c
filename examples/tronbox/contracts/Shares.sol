// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A library that is deployed on its own and linked.
library Shares {
  function partOf(uint256 amount, uint256 part, uint256 all) external pure returns (uint256) {
    return (amount * part) / all;
  }
}
