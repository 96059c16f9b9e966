import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import java.lang.reflect.Field;
import java.util.Arrays;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * Runs DynamoDB Local on one address, and refuses the requests of web pages. Its own program listens on all interfaces.
 * Arguments: the address, then those of DynamoDB Local.
 */
class DynamoDbLocal {
  public static void main(String[] arguments) throws Exception {
    String host = arguments[0];
    String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
    DynamoDBProxyServer local = ServerRunner.createServerFromCommandLineArgs(rest);
    Field field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    Server server = (Server) field.get(local);
    for (Connector connector : server.getConnectors()) ((ServerConnector) connector).setHost(host);
    server.setHandler(new OwnRequests(host, server.getHandler()));
    local.start();
    local.join();
  }

  /** Refuses requests of web pages, which have an Origin header, and of pages that rebind a name to the address. */
  static class OwnRequests extends Handler.Wrapper {
    private final String host;

    OwnRequests(String host, Handler handler) {
      super(handler);
      this.host = host;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      boolean isOwn = host.equals(Request.getServerName(request)) && !request.getHeaders().contains(HttpHeader.ORIGIN);
      if (isOwn) return super.handle(request, response, callback);
      Response.writeError(request, response, callback, 403);
      return true;
    }
  }
}
