"""socketify's server for its own API. MODULE:OBJECT is a function that adds routes to an app."""

from launch_arguments import arguments
from socketify import App, AppListenOptions

host, port, register = arguments()
app = App()
register(app)
app.listen(AppListenOptions(port=port, host=host), lambda _: None)
app.run()
