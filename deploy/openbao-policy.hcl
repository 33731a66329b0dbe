# Everything that a node asks of OpenBao.
path "transit/encrypt/lacuna-*"         { capabilities = ["create", "update"] }
path "transit/decrypt/lacuna-*"         { capabilities = ["update"] }
path "transit/keys/lacuna-epoch-*"      { capabilities = ["update", "delete"] }
path "secret/data/lacuna/anchor/*"      { capabilities = ["create", "read", "update"] }
