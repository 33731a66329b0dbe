# OpenBao by itself, for trying Lacuna out on one machine. Let several join for more.
storage "raft" {
  path    = "/openbao/file"
  node_id = "one"
}

listener "tcp" {
  address       = "0.0.0.0:8200"
  tls_cert_file = "/certs/server.pem"
  tls_key_file  = "/certs/server.key"
}

api_addr     = "https://openbao:8200"
cluster_addr = "https://openbao:8201"
