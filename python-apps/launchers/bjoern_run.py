import bjoern
from launch_arguments import arguments

host, port, app = arguments()
bjoern.run(app, host, port)
