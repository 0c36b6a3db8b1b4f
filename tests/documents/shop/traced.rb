TracePoint.new(:call, :return) {}.enable
