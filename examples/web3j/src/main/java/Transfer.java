import java.math.BigInteger;
import java.util.List;
import org.web3j.protocol.Web3j;
import org.web3j.protocol.core.DefaultBlockParameter;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.methods.request.EthFilter;
import org.web3j.protocol.http.HttpService;
import org.web3j.tx.ClientTransactionManager;
import org.web3j.tx.response.PollingTransactionReceiptProcessor;

/** Sends one coin from the first account that the gateway manages, waits for the receipt, and counts the logs of the last blocks. */
public class Transfer {
  static final BigInteger COIN = BigInteger.valueOf(1_000_000);

  public static void main(String[] args) throws Exception {
    var url = System.getenv().getOrDefault("RPC_URL", "http://127.0.0.1:8545");
    var to = System.getenv().getOrDefault("RECEIVER", "0x00000000000000000000000000000000000000aa");
    var web3j = Web3j.build(new HttpService(url));
    var accounts = web3j.ethAccounts().send().getAccounts();
    if (accounts.isEmpty()) throw new IllegalStateException("the gateway manages no account");

    var before = balance(web3j, to);
    var sender = new ClientTransactionManager(web3j, accounts.get(0));
    // The gateway prices the transaction.
    var sent = sender.sendTransaction(null, null, to, "", COIN);
    if (sent.hasError()) throw new IllegalStateException(sent.getError().getMessage());
    var receipt = new PollingTransactionReceiptProcessor(web3j, 500, 60)
        .waitForTransactionReceipt(sent.getTransactionHash());
    var received = balance(web3j, to).subtract(before);
    System.out.println(receipt.getStatus() + " in block " + receipt.getBlockNumber() + ": " + to + " received " + received);

    var block = web3j.ethGetBlockByNumber(DefaultBlockParameterName.LATEST, true).send().getBlock();
    var first = block.getNumber().subtract(BigInteger.TEN).max(BigInteger.ZERO);
    var filter = new EthFilter(DefaultBlockParameter.valueOf(first), DefaultBlockParameter.valueOf(block.getNumber()), List.of());
    var logs = web3j.ethGetLogs(filter).send();
    if (logs.hasError()) throw new IllegalStateException(logs.getError().getMessage());
    System.out.println("blocks " + first + " to " + block.getNumber() + " have " + logs.getLogs().size() + " logs");
    web3j.shutdown();
  }

  static BigInteger balance(Web3j web3j, String address) throws Exception {
    return web3j.ethGetBalance(address, DefaultBlockParameterName.LATEST).send().getBalance();
  }
}
