// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {TransparentUpgradeableProxy} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";

library Shares {
    function ofAmount(uint256 amount, uint256 total, uint256 all) external pure returns (uint256) {
        return total == 0 ? amount : (amount * all) / total;
    }
}

contract Coin is ERC20 {
    constructor() ERC20("Coin", "COIN") {
        _mint(msg.sender, 1000);
    }
}

contract Fund {
    event Joined(address indexed who, uint256 shares);

    Coin public coin;
    uint256 public all;
    mapping(address => uint256) public shares;

    function initialize(Coin coin_) external payable {
        require(address(coin) == address(0), "initialized");
        coin = coin_;
    }

    function join(uint256 amount) external {
        uint256 part = Shares.ofAmount(amount, coin.balanceOf(address(this)), all);
        coin.transferFrom(msg.sender, address(this), amount);
        shares[msg.sender] += part;
        all += part;
        emit Joined(msg.sender, part);
    }
}

contract FundProxy is TransparentUpgradeableProxy {
    constructor(address logic, address owner, bytes memory data)
        payable
        TransparentUpgradeableProxy(logic, owner, data)
    {}
}
