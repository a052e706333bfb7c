// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract Coin is ERC20 {
    constructor(address holder) ERC20("Coin", "COIN") {
        _mint(holder, 1000 ether);
    }
}

contract Shop is Ownable {
    error TooLittle(uint256 paid, uint256 price);

    event Bought(address indexed buyer, uint256 indexed item, uint256 paid);

    ERC20 public immutable coin;
    uint256 public price;
    mapping(uint256 => address) public ownerOf;

    constructor(ERC20 coin_, uint256 price_) payable Ownable(msg.sender) {
        coin = coin_;
        price = price_;
    }

    function setPrice(uint256 next) external onlyOwner {
        price = next;
    }

    function buy(uint256 item) external payable {
        if (msg.value < price) revert TooLittle(msg.value, price);
        require(ownerOf[item] == address(0), "sold");
        ownerOf[item] = msg.sender;
        emit Bought(msg.sender, item, msg.value);
        coin.transfer(msg.sender, 1 ether);
    }
}

contract Counter {
    uint256 public number;

    function start(uint256 at) external {
        number = at;
    }

    function increment() external {
        number++;
    }
}

contract Proxy is ERC1967Proxy {
    constructor(address implementation, bytes memory data) ERC1967Proxy(implementation, data) {}
}
