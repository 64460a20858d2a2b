# shellcheck shell=bash
# The cluster's authority, a certificate for each part, and a kubeconfig for those that call the API server.

create_certificates() {
  mkdir -p "$work/pki"
  openssl ecparam -name prime256v1 -genkey -noout -out "$work/pki/ca.key"
  openssl req -x509 -key "$work/pki/ca.key" -days 30 -subj /CN=e2e -out "$work/pki/ca.crt"
  openssl ecparam -name prime256v1 -genkey -noout -out "$work/pki/service-accounts.key"
  openssl ec -in "$work/pki/service-accounts.key" -pubout -out "$work/pki/service-accounts.pub"
  certify apiserver /CN=kube-apiserver "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:$node_ip,IP:10.96.0.1"
  certify apiserver-kubelet /O=system:masters/CN=apiserver-kubelet DNS:apiserver
  certify admin /O=system:masters/CN=admin DNS:admin
  certify controller-manager /CN=system:kube-controller-manager DNS:controller-manager
  certify scheduler /CN=system:kube-scheduler DNS:scheduler
  certify proxy /O=system:node-proxier/CN=system:kube-proxy DNS:proxy
  certify kubelet /O=system:nodes/CN=system:node:node "DNS:node,IP:$node_ip"
  # The state store, under the name that the Composition has for it.
  certify state-store /CN=state-store "DNS:$state_host"
  local user
  for user in admin controller-manager scheduler proxy kubelet; do write_kubeconfig "$user"; done
}

# certify NAME SUBJECT ALTERNATIVE-NAMES
certify() {
  local file=$work/pki/$1
  openssl ecparam -name prime256v1 -genkey -noout -out "$file.key"
  openssl req -new -key "$file.key" -subj "$2" -out "$file.csr"
  openssl x509 -req -in "$file.csr" -CA "$work/pki/ca.crt" -CAkey "$work/pki/ca.key" -CAcreateserial -days 30 -out "$file.crt" \
    -extfile <(printf 'keyUsage=digitalSignature\nextendedKeyUsage=serverAuth,clientAuth\nsubjectAltName=%s\n' "$3")
}

write_kubeconfig() {
  local user=$1 pki=$work/pki
  cat >"$work/$user.kubeconfig" <<CONF
apiVersion: v1
kind: Config
current-context: e2e
contexts: [{name: e2e, context: {cluster: e2e, user: $user}}]
clusters: [{name: e2e, cluster: {server: "https://$node_ip:6443", certificate-authority-data: $(base64 -w0 "$pki/ca.crt")}}]
users: [{name: $user, user: {client-certificate-data: $(base64 -w0 "$pki/$user.crt"), client-key-data: $(base64 -w0 "$pki/$user.key")}}]
CONF
}
