import com.marcnuri.helm.Helm;
import java.nio.file.Path;

/** Runs `helm lint` and `helm template` on a chart: `Render CHART [NAME=VALUE …]`. Prints the manifests. */
class Render {
  public static void main(String[] args) {
    var chart = new Helm(Path.of(args[0]));
    var template = chart.template().withName("release");
    for (int i = 1; i < args.length; i++) {
      var option = args[i].split("=", 2);
      template.set(option[0], option[1]);
    }
    try {
      var lint = chart.lint().call();
      if (lint.isFailed()) throw new IllegalStateException(String.join("\n", lint.getMessages()));
      System.out.println(template.call());
    } catch (IllegalStateException error) {
      System.err.println(error.getMessage());
      System.exit(1);
    }
  }
}
