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
    mapping(address => uint256) public deposits;

    constructor(ERC20 coin_) payable {
        coin = coin_;
    }

    function deposit(uint256 amount) external payable {
        coin.transferFrom(msg.sender, address(this), amount);
        deposits[msg.sender] += amount;
        emit Deposited(msg.sender, amount);
    }

    function withdraw() external pure {
        revert Locked(42);
    }

    function drain() external pure {
        require(false, "still locked");
    }

    function several() external pure returns (uint256 number, string memory text, address[] memory list) {
        list = new address[](2);
        return (7, "seven", list);
    }
}
