// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Initializable} from "@openzeppelin/contracts-upgradeable/proxy/utils/Initializable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts-upgradeable/proxy/utils/UUPSUpgradeable.sol";

contract Box is Initializable {
    uint256 public value;

    function initialize(uint256 first) public initializer {
        value = first;
    }

    function version() external pure virtual returns (string memory) {
        return "one";
    }
}

contract BoxV2 is Box {
    uint256 public added;

    function add(uint256 by) external {
        value += by;
        added += by;
    }

    function version() external pure override returns (string memory) {
        return "two";
    }
}

/// The slot of `value` has another type: the plugin refuses it.
contract BoxBroken is Initializable {
    address public value;
}

contract SafeBox is OwnableUpgradeable, UUPSUpgradeable {
    uint256 public value;

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor() {
        _disableInitializers();
    }

    function initialize(uint256 first) public initializer {
        __Ownable_init(msg.sender);
        __UUPSUpgradeable_init();
        value = first;
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}

contract SafeBoxV2 is SafeBox {
    function double() public reinitializer(2) {
        value *= 2;
    }
}
