package clients

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	admissionregistration "k8s.io/api/admissionregistration/v1"
)

var crewKind = schema.GroupVersionKind{Group: "crews.example.com", Version: "v1", Kind: "Crew"}

// Crew is a custom kind as kubebuilder would have it: so many sailors, each a ConfigMap.
type Crew struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              CrewSpec   `json:"spec,omitempty"`
	Status            CrewStatus `json:"status,omitempty"`
}

// CrewSpec is what is wanted.
type CrewSpec struct {
	Sailors int `json:"sailors"`
}

// CrewStatus is what there is.
type CrewStatus struct {
	Aboard     int                `json:"aboard,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// CrewList is what a list answers.
type CrewList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Crew `json:"items"`
}

// DeepCopyObject makes a Crew a runtime.Object.
func (c *Crew) DeepCopyObject() runtime.Object {
	next := *c
	c.ObjectMeta.DeepCopyInto(&next.ObjectMeta)
	next.Status.Conditions = append([]metav1.Condition(nil), c.Status.Conditions...)
	return &next
}

// DeepCopyObject makes a CrewList a runtime.Object.
func (l *CrewList) DeepCopyObject() runtime.Object {
	next := *l
	next.Items = make([]Crew, len(l.Items))
	for i := range l.Items {
		next.Items[i] = *l.Items[i].DeepCopyObject().(*Crew)
	}
	return &next
}

func crewScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	must(t, clientgoscheme.AddToScheme(scheme))
	scheme.AddKnownTypeWithName(crewKind, &Crew{})
	scheme.AddKnownTypeWithName(crewKind.GroupVersion().WithKind("CrewList"), &CrewList{})
	metav1.AddToGroupVersion(scheme, crewKind.GroupVersion())
	return scheme
}

func crewDefinition() *apiextensions.CustomResourceDefinition {
	object := func(properties map[string]apiextensions.JSONSchemaProps) apiextensions.JSONSchemaProps {
		return apiextensions.JSONSchemaProps{Type: "object", Properties: properties}
	}
	preserve := apiextensions.JSONSchemaProps{Type: "object", XPreserveUnknownFields: ptr.To(true)}
	return &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "crews.crews.example.com"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: crewKind.Group, Scope: apiextensions.NamespaceScoped,
			Names: apiextensions.CustomResourceDefinitionNames{Plural: "crews", Singular: "crew", Kind: "Crew", ListKind: "CrewList"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Subresources: &apiextensions.CustomResourceSubresources{Status: &apiextensions.CustomResourceSubresourceStatus{}},
				Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: ptr.To(object(map[string]apiextensions.JSONSchemaProps{
					"spec": object(map[string]apiextensions.JSONSchemaProps{
						"sailors": {Type: "integer", Minimum: ptr.To(0.0), Maximum: ptr.To(20.0)},
					}),
					"status": preserve,
				}))},
			}},
		},
	}
}

// startEnvironment is what projects do in TestMain: kinds and webhooks installed into a cluster that is there.
func startEnvironment(t *testing.T, scheme *runtime.Scheme) (*rest.Config, webhook.Server) {
	t.Helper()
	scope, path := admissionregistration.NamespacedScope, "/validate-crews-example-com-v1-crew"
	environment := &envtest.Environment{
		UseExistingCluster: ptr.To(true),
		Config:             config(t),
		Scheme:             scheme,
		CRDs:               []*apiextensions.CustomResourceDefinition{crewDefinition()},
		WebhookInstallOptions: envtest.WebhookInstallOptions{
			ValidatingWebhooks: []*admissionregistration.ValidatingWebhookConfiguration{{
				ObjectMeta: metav1.ObjectMeta{Name: "crews"},
				Webhooks: []admissionregistration.ValidatingWebhook{{
					Name:                    "crews.example.com",
					AdmissionReviewVersions: []string{"v1"},
					SideEffects:             ptr.To(admissionregistration.SideEffectClassNone),
					ClientConfig: admissionregistration.WebhookClientConfig{
						Service: &admissionregistration.ServiceReference{Namespace: "default", Name: "hook", Path: &path},
					},
					Rules: []admissionregistration.RuleWithOperations{{
						Operations: []admissionregistration.OperationType{admissionregistration.Create, admissionregistration.Update},
						Rule:       admissionregistration.Rule{APIGroups: []string{crewKind.Group}, APIVersions: []string{"v1"}, Resources: []string{"crews"}, Scope: &scope},
					}},
				}},
			}},
		},
	}
	_, err := environment.Start()
	must(t, err)
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	cfg := rest.CopyConfig(config(t))
	// Custom kinds have no protobuf: controller-runtime picks JSON for them by itself.
	cfg.ContentType, cfg.AcceptContentTypes = "", ""
	hooks := environment.WebhookInstallOptions
	return cfg, webhook.NewServer(webhook.Options{Host: hooks.LocalServingHost, Port: hooks.LocalServingPort, CertDir: hooks.LocalServingCertDir})
}

// unlucky refuses a crew of thirteen.
type unlucky struct{}

func (unlucky) check(crew *Crew) (admission.Warnings, error) {
	if crew.Spec.Sailors == 13 {
		return nil, fmt.Errorf("thirteen is unlucky")
	}
	return nil, nil
}
func (u unlucky) ValidateCreate(_ context.Context, crew *Crew) (admission.Warnings, error) {
	return u.check(crew)
}
func (u unlucky) ValidateUpdate(_ context.Context, _, crew *Crew) (admission.Warnings, error) {
	return u.check(crew)
}
func (unlucky) ValidateDelete(context.Context, *Crew) (admission.Warnings, error) { return nil, nil }

const farewell = "crews.example.com/farewell"

// reconciler keeps a ConfigMap for each sailor, and says goodbye by a finalizer.
type reconciler struct {
	client.Client
	farewells chan string
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	crew := &Crew{}
	if err := r.Get(ctx, request.NamespacedName, crew); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !crew.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(crew, farewell) {
			r.farewells <- crew.Name
			return ctrl.Result{}, client.IgnoreNotFound(r.Update(ctx, crew))
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(crew, farewell) {
		return ctrl.Result{}, r.Update(ctx, crew)
	}
	for i := range crew.Spec.Sailors {
		sailor := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: crew.Namespace, Name: fmt.Sprintf("%s-%d", crew.Name, i)}}
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, sailor, func() error {
			sailor.Labels = map[string]string{"crew": crew.Name}
			return controllerutil.SetControllerReference(crew, sailor, r.Scheme())
		})
		if err != nil {
			return ctrl.Result{}, err
		}
	}
	before := crew.DeepCopyObject().(*Crew)
	var aboard corev1.ConfigMapList
	// By an index of the cache.
	if err := r.List(ctx, &aboard, client.InNamespace(crew.Namespace), client.MatchingFields{"crew": crew.Name}); err != nil {
		return ctrl.Result{}, err
	}
	crew.Status.Aboard = len(aboard.Items)
	ready := metav1.ConditionFalse
	if len(aboard.Items) >= crew.Spec.Sailors {
		ready = metav1.ConditionTrue
	}
	meta.SetStatusCondition(&crew.Status.Conditions, metav1.Condition{Type: "Ready", Status: ready, Reason: "Counted"})
	return ctrl.Result{}, r.Status().Patch(ctx, crew, client.MergeFrom(before))
}

func startManager(t *testing.T, where string) (client.Client, chan string) {
	t.Helper()
	ctrl.SetLogger(klog.NewKlogr())
	scheme := crewScheme(t)
	cfg, hooks := startEnvironment(t, scheme)
	manager, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: scheme, WebhookServer: hooks,
		Metrics:        metricsserver.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "crews.example.com", LeaderElectionNamespace: where,
		LeaderElectionReleaseOnCancel: true, Logger: ctrl.Log,
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{where: {}}},
	})
	must(t, err)
	must(t, manager.GetFieldIndexer().IndexField(t.Context(), &corev1.ConfigMap{}, "crew", func(object client.Object) []string {
		return []string{object.GetLabels()["crew"]}
	}))
	farewells := make(chan string, 10)
	must(t, ctrl.NewControllerManagedBy(manager).For(&Crew{}).Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{manager.GetClient(), farewells}))
	must(t, ctrl.NewWebhookManagedBy(manager, &Crew{}).WithValidator(unlucky{}).Complete())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- manager.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if !manager.GetCache().WaitForCacheSync(deadline(t)) {
		t.Fatal("the manager's cache did not come")
	}
	<-manager.Elected()
	direct, err := client.New(cfg, client.Options{Scheme: scheme})
	must(t, err)
	return direct, farewells
}

// A small operator on controller-runtime: kinds and webhook by envtest, leader election, cache with an index, owned
// objects, status, finalizer.
func TestManager(t *testing.T) {
	where, ctx := namespace(t), deadline(t)
	direct, farewells := startManager(t, where)
	crew := &Crew{ObjectMeta: metav1.ObjectMeta{Namespace: where, Name: "pequod"}, Spec: CrewSpec{Sailors: 3}}
	var refusal error
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		// The webhook's server is up a moment after the manager.
		refusal = direct.Create(ctx, crew)
		if apierrors.IsInternalError(refusal) {
			return false, nil
		}
		return refusal == nil, refusal
	})
	if err != nil {
		t.Fatalf("%v: %v", err, refusal)
	}
	untilAboard(t, direct, crew, 3)
	err = direct.Create(ctx, &Crew{ObjectMeta: metav1.ObjectMeta{Namespace: where, Name: "unlucky"}, Spec: CrewSpec{Sailors: 13}})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `admission webhook "crews.example.com" denied the request: thirteen is unlucky`) {
		t.Errorf("thirteen: %v", err)
	}
	if err = direct.Create(ctx, &Crew{ObjectMeta: metav1.ObjectMeta{Namespace: where, Name: "many"}, Spec: CrewSpec{Sailors: 21}}); !apierrors.IsInvalid(err) {
		t.Errorf("twenty-one: %v", err)
	}
	must(t, direct.Patch(ctx, crew, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"sailors":5}}`))))
	untilAboard(t, direct, crew, 5)
	must(t, direct.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(where), client.MatchingLabels{"crew": "pequod"}))
	untilAboard(t, direct, crew, 5)
	asApplied(t, direct, where)
	must(t, direct.Delete(ctx, crew, client.PropagationPolicy(metav1.DeletePropagationForeground)))
	until(t, farewells, "pequod")
	must(t, wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		err := direct.Get(ctx, client.ObjectKeyFromObject(crew), &Crew{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}))
	must(t, wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		var left corev1.ConfigMapList
		err := direct.List(ctx, &left, client.InNamespace(where), client.MatchingLabels{"crew": "pequod"})
		return len(left.Items) == 0, err
	}))
}

func untilAboard(t *testing.T, direct client.Client, crew *Crew, wanted int) {
	t.Helper()
	must(t, wait.PollUntilContextTimeout(deadline(t), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		if err := direct.Get(ctx, client.ObjectKeyFromObject(crew), crew); err != nil {
			return false, err
		}
		return crew.Status.Aboard == wanted && meta.IsStatusConditionTrue(crew.Status.Conditions, "Ready"), nil
	}))
}

// asApplied: the client's own server-side apply, unstructured and forced, of a custom kind and its status.
func asApplied(t *testing.T, direct client.Client, where string) {
	t.Helper()
	ctx := deadline(t)
	crew := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"sailors": int64(1)}}}
	crew.SetGroupVersionKind(crewKind)
	crew.SetNamespace(where)
	crew.SetName("applied")
	must(t, direct.Apply(ctx, client.ApplyConfigurationFromUnstructured(crew), client.FieldOwner("applier"), client.ForceOwnership))
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(crewKind)
	must(t, direct.Get(ctx, client.ObjectKey{Namespace: where, Name: "applied"}, found))
	owners := map[string]bool{}
	for _, entry := range found.ManagedFields {
		owners[entry.Manager] = true
	}
	if !owners["applier"] {
		t.Errorf("managers: %v", owners)
	}
	must(t, direct.Delete(ctx, found))
}
