// Package clients holds what real programs written in Go ask of a cluster: the official clients, as their users use them.
// The cluster is the one of KUBECONFIG; each test works in a namespace of its own.
package clients

import (
	"context"
	"fmt"
	"math/rand"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	protobuf = runtime.ContentTypeProtobuf
	// How long a test waits for what the cluster does of its own accord.
	patience = 30 * time.Second
)

// config is that of a cluster administrator, with protobuf first as client-go's components ask for it.
func config(t *testing.T) *rest.Config {
	t.Helper()
	loaded, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{}).ClientConfig()
	must(t, err)
	loaded.QPS, loaded.Burst = 500, 500
	loaded.ContentType = protobuf
	loaded.AcceptContentTypes = protobuf + ",application/json"
	return loaded
}

func clientset(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	set, err := kubernetes.NewForConfig(config(t))
	must(t, err)
	return set
}

// deadline is a context of the test that ends with it, or in time.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// namespace makes one that goes with the test.
func namespace(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("go-%08x", rand.Uint32())
	set := clientset(t)
	_, err := set.CoreV1().Namespaces().Create(deadline(t), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		_ = set.CoreV1().Namespaces().Delete(context.Background(), name, metav1.DeleteOptions{})
	})
	return name
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
