// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Shop {
    event Bought(address indexed buyer, uint256 item, string note);

    address public immutable owner;
    uint256 public price;
    mapping(uint256 => address) public ownerOf;

    constructor(uint256 price_) payable {
        owner = msg.sender;
        price = price_;
    }

    function buy(uint256 item, string calldata note) external payable returns (uint256) {
        require(msg.value >= price, "too little");
        ownerOf[item] = msg.sender;
        emit Bought(msg.sender, item, note);
        return item + 1;
    }
}
