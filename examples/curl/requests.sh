#!/usr/bin/env bash
# Calls a few methods with curl, the last two in one batch.
set -euo pipefail
url=${RPC_URL:-http://127.0.0.1:8545}

call() { curl --silent --fail --header 'content-type: application/json' --data "$1" "$url"; echo; }

call '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
call '{"jsonrpc":"2.0","id":2,"method":"eth_getBlockByNumber","params":["latest",false]}'
call '[{"jsonrpc":"2.0","id":3,"method":"eth_blockNumber","params":[]},{"jsonrpc":"2.0","id":4,"method":"eth_gasPrice","params":[]}]'
