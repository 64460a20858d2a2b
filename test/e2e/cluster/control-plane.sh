# shellcheck shell=bash
# etcd and the parts of Kubernetes that need no node.

start_control_plane() {
  local pki=$work/pki
  # Nothing here must outlive the machine, so etcd need not wait for the disk.
  start etcd etcd --data-dir "$work/etcd" --unsafe-no-fsync --logger=zap \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
    --initial-cluster default=http://127.0.0.1:2380
  start kube-apiserver "$kubernetes/kube-apiserver" \
    --etcd-servers=http://127.0.0.1:2379 --advertise-address="$node_ip" --secure-port=6443 \
    --client-ca-file="$pki/ca.crt" --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$pki/service-accounts.pub" \
    --service-account-signing-key-file="$pki/service-accounts.key" --service-cluster-ip-range="$service_subnet" \
    --authorization-mode=Node,RBAC --allow-privileged=true --kubelet-preferred-address-types=InternalIP \
    --kubelet-certificate-authority="$pki/ca.crt" --kubelet-client-certificate="$pki/apiserver-kubelet.crt" \
    --kubelet-client-key="$pki/apiserver-kubelet.key" --requestheader-client-ca-file="$pki/ca.crt" \
    --requestheader-allowed-names=front-proxy --requestheader-username-headers=X-Remote-User \
    --requestheader-group-headers=X-Remote-Group --requestheader-extra-headers-prefix=X-Remote-Extra-
  await 60 'the API server is ready' kubectl get --raw /readyz
  start kube-controller-manager "$kubernetes/kube-controller-manager" --leader-elect=false \
    --kubeconfig="$work/controller-manager.kubeconfig" --authentication-kubeconfig="$work/controller-manager.kubeconfig" \
    --authorization-kubeconfig="$work/controller-manager.kubeconfig" --use-service-account-credentials=true \
    --service-account-private-key-file="$pki/service-accounts.key" --root-ca-file="$pki/ca.crt"
  start kube-scheduler "$kubernetes/kube-scheduler" --leader-elect=false \
    --kubeconfig="$work/scheduler.kubeconfig" --authentication-kubeconfig="$work/scheduler.kubeconfig" \
    --authorization-kubeconfig="$work/scheduler.kubeconfig"
}

kubectl() { "${inside[@]}" "$kubernetes/kubectl" --kubeconfig "$kubeconfig" "$@"; }
