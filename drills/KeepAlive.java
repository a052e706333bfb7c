import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Calls an address over the kept connections of Java's client until its input ends, and prints how many calls there were and failed. */
public class KeepAlive {
  public static void main(String[] arguments) throws Exception {
    // Otherwise the client hides that a connection was lost, by sending the request again.
    System.setProperty("jdk.httpclient.disableRetryConnect", "true");
    var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    var request =
        HttpRequest.newBuilder(URI.create(arguments[0]))
            .POST(HttpRequest.BodyPublishers.ofString(arguments[1]))
            .build();
    var calls = new AtomicInteger();
    var failed = new AtomicInteger();
    var first = new AtomicReference<>("");
    var threads = new Thread[8];
    for (int number = 0; number < threads.length; number++) {
      int pause = number;
      threads[number] =
          new Thread(
              () -> {
                while (!Thread.currentThread().isInterrupted()) {
                  calls.incrementAndGet();
                  try {
                    var answer = client.send(request, BodyHandlers.ofString());
                    if (!answer.body().contains("result")) throw new Exception(answer.body());
                    Thread.sleep(pause * 5);
                  } catch (InterruptedException ended) {
                    return;
                  } catch (Exception error) {
                    failed.incrementAndGet();
                    first.compareAndSet("", error.toString());
                  }
                }
              });
      threads[number].start();
    }
    try (var input = new Scanner(System.in)) {
      while (input.hasNextLine()) input.nextLine();
    }
    int finished = calls.get();
    for (var thread : threads) thread.interrupt();
    System.out.println(finished + " " + failed.get() + " " + first.get());
    System.exit(0);
  }
}
