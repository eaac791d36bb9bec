"""Robyn's server. Its options (--workers, --log-level) are read from the command line by Robyn itself."""

from launch_arguments import arguments_before_options

host, port, app = arguments_before_options()
app.start(host=host, port=port, _check_port=False)
