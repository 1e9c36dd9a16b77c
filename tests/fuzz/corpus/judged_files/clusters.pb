3
1A
3type.googleapis.com/envoy.config.cluster.v3.Cluster

cs:
3type.googleapis.com/envoy.config.cluster.v3.Cluster
c