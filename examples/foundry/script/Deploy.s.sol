// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Coin, Counter, Proxy, Shop} from "../src/Shop.sol";

interface Vm {
    function startBroadcast() external;
    function stopBroadcast() external;
    function computeCreateAddress(address deployer, uint256 nonce) external pure returns (address);
    function getNonce(address account) external view returns (uint64);
}

/// Contracts that name each other before they exist, a proxy with a call, a contract with a salt.
contract Deploy {
    bool public constant IS_SCRIPT = true;
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    event Deployed(string name, address at);

    function run() external {
        vm.startBroadcast();
        address sender = msg.sender;
        // In front of a node a coin has 6 decimals.
        require(sender.balance > 2 ether, "this script needs npx ethgate dev --decimals 18");
        address shopAt = vm.computeCreateAddress(sender, vm.getNonce(sender) + 1);
        Coin coin = new Coin(shopAt);
        Shop shop = new Shop{value: 1 ether}(coin, 0.5 ether);
        require(address(shop) == shopAt, "predicted");
        require(coin.balanceOf(address(shop)) == 1000 ether, "funded");
        Counter counter = new Counter();
        Proxy proxy = new Proxy(address(counter), abi.encodeCall(Counter.start, (41)));
        Counter(address(proxy)).increment();
        require(Counter(address(proxy)).number() == 42, "behind the proxy");
        Counter salted = new Counter{salt: keccak256("salt")}();
        salted.increment();
        shop.buy{value: 0.5 ether}(7);
        vm.stopBroadcast();
    }
}
