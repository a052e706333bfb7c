// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract Coin is ERC20 {
    constructor(uint256 supply) ERC20("Coin", "COIN") {
        _mint(msg.sender, supply);
    }
}

contract Vault {
    error Locked(uint256 until);

    event Deposited(address indexed from, uint256 amount);

    ERC20 public immutable coin;
    uint256 public immutable until;
    mapping(address => uint256) public deposits;

    constructor(ERC20 coin_, uint256 until_) payable {
        coin = coin_;
        until = until_;
    }

    function deposit(uint256 amount) external {
        coin.transferFrom(msg.sender, address(this), amount);
        deposits[msg.sender] += amount;
        emit Deposited(msg.sender, amount);
    }

    function withdraw() external {
        if (block.timestamp < until) revert Locked(until);
        uint256 amount = deposits[msg.sender];
        deposits[msg.sender] = 0;
        coin.transfer(msg.sender, amount);
    }

    receive() external payable {}

    function drain(address payable to) external {
        require(block.timestamp >= until, "still locked");
        to.transfer(address(this).balance);
    }
}
