-- As an administrator of the server. One role owns the tables and migrates them; the other, which owns nothing, serves.
CREATE ROLE lacuna_app NOLOGIN;
CREATE ROLE lacuna_admin NOLOGIN;
CREATE ROLE lacuna_eraser NOLOGIN;
CREATE ROLE lacuna_keys_app NOLOGIN;
CREATE ROLE lacuna_keys_admin NOLOGIN;
CREATE ROLE lacuna_owner LOGIN NOINHERIT PASSWORD 'a long password';
CREATE ROLE lacuna_login LOGIN NOINHERIT PASSWORD 'another long password';
GRANT lacuna_app, lacuna_admin, lacuna_eraser TO lacuna_owner, lacuna_login;
GRANT lacuna_keys_app, lacuna_keys_admin TO lacuna_owner, lacuna_login;
CREATE DATABASE lacuna;
CREATE DATABASE lacuna_keys;
GRANT CREATE ON DATABASE lacuna TO lacuna_owner;
GRANT CREATE ON DATABASE lacuna_keys TO lacuna_owner;

-- Now run `lacuna store init` with the URLs of lacuna_owner, then this as the administrator or the owner:
\connect lacuna
GRANT USAGE ON SCHEMA lacuna TO lacuna_login;
GRANT SELECT ON lacuna.migration TO lacuna_login;
\connect lacuna_keys
GRANT USAGE ON SCHEMA lacuna_keys TO lacuna_login;
GRANT SELECT ON lacuna_keys.migration TO lacuna_login;
