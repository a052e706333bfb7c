// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Shop {
    error TooLittle(uint256 paid, uint256 price);

    event Bought(address indexed buyer, uint256 item);

    uint256 public immutable price;
    mapping(uint256 => address) public ownerOf;

    constructor(uint256 price_) {
        price = price_;
    }

    function buy(uint256 item) external payable {
        if (msg.value < price) revert TooLittle(msg.value, price);
        ownerOf[item] = msg.sender;
        emit Bought(msg.sender, item);
    }
}
