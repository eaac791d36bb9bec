from gevent import monkey

monkey.patch_all()

from gevent.pywsgi import WSGIServer  # noqa: E402
from launch_arguments import arguments  # noqa: E402

host, port, app = arguments()
WSGIServer((host, port), app, log=None).serve_forever()
