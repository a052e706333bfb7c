// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

contract Coin is ERC20Votes {
    constructor(uint256 supply) ERC20("Coin", "COIN") EIP712("Coin", "1") {
        _mint(msg.sender, supply);
    }

    function clock() public view override returns (uint48) {
        return uint48(block.timestamp);
    }

    function CLOCK_MODE() public pure override returns (string memory) {
        return "mode=timestamp";
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

contract Factory {
    event Created(address at);

    function create(bytes32 salt) external returns (address at) {
        at = address(new Child{salt: salt}());
        emit Created(at);
    }

    function createPlain() external returns (address at) {
        at = address(new Child());
        emit Created(at);
    }

    function clone(address implementation) external returns (address at) {
        at = Clones.clone(implementation);
        emit Created(at);
    }
}

contract Child {
    uint256 public constant ANSWER = 42;
}

contract Roles is AccessControl {
    constructor() {
        _grantRole(DEFAULT_ADMIN_ROLE, msg.sender);
    }

    function only() external onlyRole(DEFAULT_ADMIN_ROLE) {}
}

contract SimpleProxy is ERC1967Proxy {
    constructor(address implementation) ERC1967Proxy(implementation, "") {}
}
