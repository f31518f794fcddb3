package clients

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	certificates "k8s.io/api/certificates/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/yaml"
)

// every is the scheme of all built-in kinds.
func every(t *testing.T) (*runtime.Scheme, serializer.CodecFactory) {
	t.Helper()
	scheme := runtime.NewScheme()
	must(t, clientgoscheme.AddToScheme(scheme))
	must(t, apiextensions.AddToScheme(scheme))
	must(t, apiregistration.AddToScheme(scheme))
	return scheme, serializer.NewCodecFactory(scheme)
}

type sample struct {
	kind schema.GroupVersionKind
	// As written, for apply.
	text   []byte
	object runtime.Object
}

func samples(t *testing.T, where string) []sample {
	t.Helper()
	text, err := os.ReadFile("testdata/kinds.yaml")
	must(t, err)
	decoder := serializer.NewCodecFactory(schemeOf(t), serializer.EnableStrict).UniversalDeserializer()
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var all []sample
	for {
		document, err := reader.Read()
		document = bytes.ReplaceAll(document, []byte("NAMESPACE"), []byte(where))
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		document = bytes.ReplaceAll(document, []byte("request: CSR"), []byte("request: "+signingRequest(t)))
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		all = append(all, sample{*kind, document, object})
	}
}

func schemeOf(t *testing.T) *runtime.Scheme {
	scheme, _ := every(t)
	return scheme
}

// signingRequest is a PEM request in base64, as a CertificateSigningRequest holds it.
func signingRequest(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "nobody"}}, key)
	must(t, err)
	quoted, err := yaml.Marshal(certificates.CertificateSigningRequestSpec{
		Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
	})
	must(t, err)
	for line := range strings.SplitSeq(string(quoted), "\n") {
		if found, ok := strings.CutPrefix(line, "request: "); ok {
			return found
		}
	}
	t.Fatal("no request in the YAML")
	return ""
}

// restClient speaks one group version in one encoding.
func restClient(t *testing.T, codecs serializer.CodecFactory, gv schema.GroupVersion, contentType string) *rest.RESTClient {
	t.Helper()
	cfg := rest.CopyConfig(config(t))
	cfg.ContentType, cfg.AcceptContentTypes = contentType, contentType
	cfg.GroupVersion = &gv
	cfg.NegotiatedSerializer = codecs.WithoutConversion()
	cfg.APIPath = "/apis"
	if gv.Group == "" {
		cfg.APIPath = "/api"
	}
	client, err := rest.RESTClientFor(cfg)
	must(t, err)
	return client
}

// Every kind that can be created goes through all verbs as protobuf and answers the same as it does in JSON.
func TestEveryKindAsProtobuf(t *testing.T) {
	scheme, codecs := every(t)
	ctx := deadline(t)
	set := clientset(t)
	groups, err := restmapper.GetAPIGroupResources(set.Discovery())
	must(t, err)
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	where := namespace(t)
	shown := map[schema.GroupVersionResource]bool{}
	for _, sample := range samples(t, where) {
		mapping, err := mapper.RESTMapping(sample.kind.GroupKind(), sample.kind.Version)
		must(t, err)
		shown[mapping.Resource] = true
		in := where
		if mapping.Scope.Name() == meta.RESTScopeNameRoot {
			in = ""
		}
		t.Run(mapping.Resource.GroupResource().String()+"/"+mapping.Resource.Version, func(t *testing.T) {
			gv := sample.kind.GroupVersion()
			c := cycle{
				ctx: ctx, scheme: scheme, sample: sample, resource: mapping.Resource.Resource, namespace: in,
				proto: restClient(t, codecs, gv, protobuf), json: restClient(t, codecs, gv, runtime.ContentTypeJSON),
			}
			c.run(t)
		})
	}
	for _, group := range groups {
		for version, resources := range group.VersionedResources {
			gv := schema.GroupVersion{Group: group.Group.Name, Version: version}
			for _, r := range resources {
				verbs := strings.Join(r.Verbs, " ")
				if !strings.Contains(verbs, "create") || !strings.Contains(verbs, "watch") || !scheme.IsVersionRegistered(gv) {
					continue
				}
				if !shown[gv.WithResource(r.Name)] {
					t.Errorf("no sample of %s in testdata/kinds.yaml", gv.WithResource(r.Name))
				}
			}
		}
	}
}

// cycle is the life of one object.
type cycle struct {
	ctx         context.Context
	scheme      *runtime.Scheme
	sample      sample
	resource    string
	namespace   string
	proto, json *rest.RESTClient
}

func (c *cycle) empty(t *testing.T) runtime.Object {
	t.Helper()
	object, err := c.scheme.New(c.sample.kind)
	must(t, err)
	return object
}

func (c *cycle) get(t *testing.T, client *rest.RESTClient, name string) runtime.Object {
	t.Helper()
	object := c.empty(t)
	must(t, c.at(client.Get()).Name(name).Do(c.ctx).Into(object))
	return object
}

func (c *cycle) at(request *rest.Request) *rest.Request {
	return request.NamespaceIfScoped(c.namespace, c.namespace != "").Resource(c.resource)
}

func (c *cycle) run(t *testing.T) {
	created := c.empty(t)
	must(t, c.at(c.proto.Post()).VersionedParams(&metav1.CreateOptions{FieldManager: "maker"}, metav1.ParameterCodec).
		Body(c.sample.object).Do(c.ctx).Into(created))
	access, err := meta.Accessor(created)
	must(t, err)
	name := access.GetName()
	gone := false
	defer func() {
		if !gone {
			_ = c.at(c.proto.Delete()).Name(name).Do(context.Background()).Error()
		}
	}()
	watcher, err := c.at(c.proto.Get()).VersionedParams(&metav1.ListOptions{
		Watch: true, ResourceVersion: access.GetResourceVersion(), FieldSelector: "metadata.name=" + name,
	}, metav1.ParameterCodec).Watch(c.ctx)
	must(t, err)
	defer watcher.Stop()

	c.same(t, name)
	c.listed(t, name)
	c.label(t, name, types.JSONPatchType, `[{"op":"add","path":"/metadata/labels","value":{"json":"patched"}}]`, "json")
	c.label(t, name, types.MergePatchType, `{"metadata":{"labels":{"merge":"patched"}}}`, "merge")
	c.label(t, name, types.StrategicMergePatchType, `{"metadata":{"labels":{"strategic":"patched"}}}`, "strategic")
	c.applied(t, name)
	c.updated(t, name)
	c.seen(t, watcher)

	must(t, c.at(c.proto.Delete()).Name(name).Body(&metav1.DeleteOptions{}).Do(c.ctx).Error())
	err = c.at(c.proto.Get()).Name(name).Do(c.ctx).Error()
	gone = apierrors.IsNotFound(err)
	// What a finalizer holds is there until its controller has been.
	if !gone && err != nil {
		t.Errorf("after deletion: %v", err)
	}
}

// same: read in both encodings, an object is the same; so is what was created, where nothing writes in between.
func (c *cycle) same(t *testing.T, name string) {
	for range 5 {
		asProto, asJSON := c.get(t, c.proto, name), c.get(t, c.json, name)
		left, _ := meta.Accessor(asProto)
		right, _ := meta.Accessor(asJSON)
		if left.GetResourceVersion() != right.GetResourceVersion() {
			continue
		}
		asProto.GetObjectKind().SetGroupVersionKind(c.sample.kind)
		asJSON.GetObjectKind().SetGroupVersionKind(c.sample.kind)
		if !equality.Semantic.DeepEqual(asProto, asJSON) {
			one, _ := yaml.Marshal(asProto)
			other, _ := yaml.Marshal(asJSON)
			t.Errorf("as protobuf:\n%s\nas JSON:\n%s", one, other)
		}
		return
	}
	t.Errorf("%s was written between every two reads", name)
}

func (c *cycle) listed(t *testing.T, name string) {
	list, err := c.scheme.New(c.sample.kind.GroupVersion().WithKind(c.sample.kind.Kind + "List"))
	must(t, err)
	must(t, c.at(c.proto.Get()).VersionedParams(&metav1.ListOptions{FieldSelector: "metadata.name=" + name, Limit: 5}, metav1.ParameterCodec).
		Do(c.ctx).Into(list))
	items, err := meta.ExtractList(list)
	must(t, err)
	if len(items) != 1 {
		t.Errorf("listed %d objects called %s", len(items), name)
	}
	metadata := &metav1.PartialObjectMetadataList{}
	accept := protobuf + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	metaCodecs := serializer.NewCodecFactory(metaScheme(t))
	raw, err := c.at(c.proto.Get()).SetHeader("Accept", accept).Do(c.ctx).Raw()
	must(t, err)
	_, _, err = metaCodecs.UniversalDeserializer().Decode(raw, nil, metadata)
	must(t, err)
	if len(metadata.Items) == 0 {
		t.Error("no metadata listed")
	}
}

func metaScheme(t *testing.T) *runtime.Scheme {
	scheme := runtime.NewScheme()
	must(t, metav1.AddMetaToScheme(scheme))
	return scheme
}

func (c *cycle) label(t *testing.T, name string, patch types.PatchType, body, label string) {
	object := c.empty(t)
	must(t, c.at(c.proto.Patch(patch)).Name(name).Body([]byte(body)).Do(c.ctx).Into(object))
	access, _ := meta.Accessor(object)
	if access.GetLabels()[label] != "patched" {
		t.Errorf("%s: labels are %v", patch, access.GetLabels())
	}
}

// makers are who is left beside the applier where it is not the maker: a list that is one whole goes to the applier, and of
// what the server takes from nobody no field has an owner before the first apply.
var makers = map[string]string{
	"limitranges":                "Go-http-client",
	"certificatesigningrequests": "before-first-apply",
}

func (c *cycle) applied(t *testing.T, name string) {
	object := map[string]any{}
	must(t, yaml.Unmarshal(c.sample.text, &object))
	metadata := object["metadata"].(map[string]any)
	metadata["labels"] = map[string]any{"apply": "patched"}
	metadata["name"] = name
	body, err := yaml.Marshal(object)
	must(t, err)
	// What is atomic was owned as the server had filled it in: without force, a list that names no defaults is a conflict.
	force := true
	result := c.empty(t)
	must(t, c.at(c.proto.Patch(types.ApplyPatchType)).Name(name).
		VersionedParams(&metav1.PatchOptions{FieldManager: "applier", Force: &force}, metav1.ParameterCodec).Body(body).Do(c.ctx).Into(result))
	access, _ := meta.Accessor(result)
	managers := map[string]bool{}
	for _, entry := range access.GetManagedFields() {
		managers[entry.Manager] = true
	}
	before, ok := makers[c.resource]
	if !ok {
		before = "maker"
	}
	if access.GetLabels()["apply"] != "patched" || !managers["applier"] || !managers[before] {
		t.Errorf("after apply: labels %v, managers %v", access.GetLabels(), managers)
	}
}

// updated sends the whole object back, again where somebody wrote in between.
func (c *cycle) updated(t *testing.T, name string) {
	for range 5 {
		object := c.get(t, c.proto, name)
		access, _ := meta.Accessor(object)
		access.SetAnnotations(map[string]string{"update": "done"})
		result := c.empty(t)
		err := c.at(c.proto.Put()).Name(name).Body(object).Do(c.ctx).Into(result)
		if apierrors.IsConflict(err) {
			continue
		}
		must(t, err)
		after, _ := meta.Accessor(result)
		if after.GetAnnotations()["update"] != "done" {
			t.Errorf("after an update the annotations are %v", after.GetAnnotations())
		}
		return
	}
	t.Error("every update met a conflict")
}

// seen: the watch has told of the update.
func (c *cycle) seen(t *testing.T, watcher watch.Interface) {
	for {
		select {
		case event, open := <-watcher.ResultChan():
			if !open {
				t.Fatal("the watch ended")
			}
			access, err := meta.Accessor(event.Object)
			if err != nil {
				t.Fatalf("a watch event of %T: %v", event.Object, apierrors.FromObject(event.Object))
			}
			if event.Type == watch.Modified && access.GetAnnotations()["update"] == "done" {
				return
			}
		case <-c.ctx.Done():
			t.Fatal("the watch told nothing of the update")
		}
	}
}
