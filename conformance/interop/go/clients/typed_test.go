package clients

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/retry"
)

func deployment(name string, replicas int32) *appsapply.DeploymentApplyConfiguration {
	return appsapply.Deployment(name, "").WithSpec(appsapply.DeploymentSpec().
		WithReplicas(replicas).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(map[string]string{"app": name})).
		WithTemplate(coreapply.PodTemplateSpec().
			WithLabels(map[string]string{"app": name}).
			WithSpec(coreapply.PodSpec().WithContainers(
				coreapply.Container().WithName("main").WithImage("binnacle.local/frontend:1.0")))))
}

func untilAvailable(t *testing.T, set kubernetes.Interface, where, name string, replicas int32) *appsv1.Deployment {
	t.Helper()
	ctx, cancel := context.WithTimeout(deadline(t), patience)
	defer cancel()
	selector := fields.OneTermEqualSelector("metadata.name", name).String()
	source := &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			return set.AppsV1().Deployments(where).List(ctx, options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			return set.AppsV1().Deployments(where).Watch(ctx, options)
		},
	}
	event, err := watchtools.UntilWithSync(ctx, source, &appsv1.Deployment{}, nil, func(event watch.Event) (bool, error) {
		found := event.Object.(*appsv1.Deployment)
		return found.Status.AvailableReplicas == replicas && found.Status.ObservedGeneration == found.Generation, nil
	})
	must(t, err)
	return event.Object.(*appsv1.Deployment)
}

// Apply with typed configurations: creation, a conflict with its cause, force, extraction of what one owns.
func TestApplyConfigurations(t *testing.T) {
	set, where, ctx := clientset(t), namespace(t), deadline(t)
	deployments := set.AppsV1().Deployments(where)
	_, err := deployments.Apply(ctx, deployment("web", 2), metav1.ApplyOptions{FieldManager: "one"})
	must(t, err)
	_, err = deployments.Apply(ctx, deployment("web", 3), metav1.ApplyOptions{FieldManager: "two"})
	if !apierrors.IsConflict(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		t.Fatalf("another manager's replicas: %v", err)
	}
	applied, err := deployments.Apply(ctx, deployment("web", 3), metav1.ApplyOptions{FieldManager: "two", Force: true})
	must(t, err)
	mine, err := appsapply.ExtractDeployment(applied, "two")
	must(t, err)
	if mine.Spec == nil || mine.Spec.Replicas == nil || *mine.Spec.Replicas != 3 {
		t.Errorf("what two owns: %+v", mine.Spec)
	}
	theirs, err := appsapply.ExtractDeployment(applied, "one")
	must(t, err)
	if theirs.Spec.Replicas != nil {
		t.Error("one still owns the replicas")
	}
	untilAvailable(t, set, where, "web", 3)
}

// Subresources by their typed calls: scale, status, eviction, binding, ephemeral containers, tokens, reviews, finalize.
func TestSubresources(t *testing.T) {
	set, where, ctx := clientset(t), namespace(t), deadline(t)
	_, err := set.AppsV1().Deployments(where).Apply(ctx, deployment("web", 1), metav1.ApplyOptions{FieldManager: "test"})
	must(t, err)
	var scale *autoscalingv1.Scale
	// The deployment's controller writes too.
	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if scale, err = set.AppsV1().Deployments(where).GetScale(ctx, "web", metav1.GetOptions{}); err != nil {
			return err
		}
		scale.Spec.Replicas = 2
		scale, err = set.AppsV1().Deployments(where).UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
		return err
	}))
	if scale.Spec.Replicas != 2 || scale.Status.Selector != "app=web" {
		t.Errorf("scale: %+v", scale)
	}
	untilAvailable(t, set, where, "web", 2)
	pods, err := set.CoreV1().Pods(where).List(ctx, metav1.ListOptions{LabelSelector: "app=web", FieldSelector: "status.phase=Running"})
	must(t, err)
	if len(pods.Items) != 2 {
		t.Fatalf("%d running pods", len(pods.Items))
	}
	must(t, set.CoreV1().Pods(where).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pods.Items[0].Name, Namespace: where}}))
	other := pods.Items[1].DeepCopy()
	other.Spec.EphemeralContainers = append(other.Spec.EphemeralContainers, corev1.EphemeralContainer{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: "binnacle.local/frontend:1.0"},
	})
	other, err = set.CoreV1().Pods(where).UpdateEphemeralContainers(ctx, other.Name, other, metav1.UpdateOptions{})
	must(t, err)
	if len(other.Spec.EphemeralContainers) != 1 {
		t.Error("no ephemeral container")
	}
	seconds := int64(3600)
	token, err := set.CoreV1().ServiceAccounts(where).CreateToken(ctx, "default", &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds},
	}, metav1.CreateOptions{})
	must(t, err)
	review, err := set.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token},
	}, metav1.CreateOptions{})
	must(t, err)
	if user := review.Status.User.Username; user != "system:serviceaccount:"+where+":default" {
		t.Errorf("the token is %q's", user)
	}
	access, err := set.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "delete", Resource: "pods"}},
	}, metav1.CreateOptions{})
	must(t, err)
	if !access.Status.Allowed {
		t.Error("an administrator may not delete pods")
	}
	limited := rest.AnonymousClientConfig(config(t))
	limited.BearerToken = token.Status.Token
	account, err := kubernetes.NewForConfig(limited)
	must(t, err)
	if _, err = account.CoreV1().Secrets(where).List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("secrets for an account without rights: %v", err)
	}
	nodes, err := set.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	must(t, err)
	unbound := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "by-hand"},
		Spec:       corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "main", Image: "binnacle.local/frontend:1.0"}}},
	}
	_, err = set.CoreV1().Pods(where).Create(ctx, unbound, metav1.CreateOptions{})
	must(t, err)
	must(t, set.CoreV1().Pods(where).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: "by-hand", Namespace: where},
		Target:     corev1.ObjectReference{Kind: "Node", Name: nodes.Items[0].Name},
	}, metav1.CreateOptions{}))
}

// A shared factory for one namespace: several kinds, indexers, handlers, an update and a deletion seen through the cache.
func TestInformers(t *testing.T) {
	set, where, ctx := clientset(t), namespace(t), deadline(t)
	factory := informers.NewSharedInformerFactoryWithOptions(set, 0, informers.WithNamespace(where))
	maps := factory.Core().V1().ConfigMaps()
	must(t, maps.Informer().AddIndexers(cache.Indexers{"by-owner": func(object any) ([]string, error) {
		return []string{object.(*corev1.ConfigMap).Labels["owner"]}, nil
	}}))
	factory.Apps().V1().Deployments().Informer()
	factory.Core().V1().Pods().Informer()
	changes := make(chan string, 100)
	_, err := maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { changes <- "add " + object.(*corev1.ConfigMap).Name },
		UpdateFunc: func(_, object any) { changes <- "update " + object.(*corev1.ConfigMap).Name },
		DeleteFunc: func(object any) {
			if last, is := object.(cache.DeletedFinalStateUnknown); is {
				object = last.Obj
			}
			changes <- "delete " + object.(*corev1.ConfigMap).Name
		},
	})
	must(t, err)
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			t.Fatalf("%v did not come", kind)
		}
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: map[string]string{"owner": "me"}}}
	_, err = set.CoreV1().ConfigMaps(where).Create(ctx, object, metav1.CreateOptions{})
	must(t, err)
	until(t, changes, "add one")
	found, err := maps.Informer().GetIndexer().ByIndex("by-owner", "me")
	must(t, err)
	if len(found) != 1 {
		t.Errorf("the index has %d", len(found))
	}
	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := set.CoreV1().ConfigMaps(where).Get(ctx, "one", metav1.GetOptions{})
		if err != nil {
			return err
		}
		current.Data = map[string]string{"a": "b"}
		_, err = set.CoreV1().ConfigMaps(where).Update(ctx, current, metav1.UpdateOptions{})
		return err
	}))
	until(t, changes, "update one")
	must(t, set.CoreV1().ConfigMaps(where).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: labels.Set{"owner": "me"}.String()}))
	until(t, changes, "delete one")
}

func until(t *testing.T, changes <-chan string, wanted string) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case change := <-changes:
			if change == wanted {
				return
			}
		case <-limit:
			t.Fatalf("waited for %q", wanted)
		}
	}
}

// Two candidates: one leads; when it lets go, the other does.
func TestLeaderElection(t *testing.T) {
	set, where := clientset(t), namespace(t)
	leads := make(chan string, 10)
	candidate := func(name string) (context.CancelFunc, <-chan struct{}) {
		ctx, cancel := context.WithCancel(deadline(t))
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, where, "leader", set.CoreV1(), set.CoordinationV1(),
			resourcelock.ResourceLockConfig{Identity: name})
		must(t, err)
		done := make(chan struct{})
		go func() {
			defer close(done)
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: lock, ReleaseOnCancel: true, Name: "leader",
				LeaseDuration: 4 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: 200 * time.Millisecond,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { leads <- name },
					OnStoppedLeading: func() {},
				},
			})
		}()
		return cancel, done
	}
	endFirst, firstDone := candidate("first")
	until(t, leads, "first")
	endSecond, secondDone := candidate("second")
	endFirst()
	<-firstDone
	until(t, leads, "second")
	endSecond()
	<-secondDone
	lease, err := set.CoordinationV1().Leases(where).Get(deadline(t), "leader", metav1.GetOptions{})
	must(t, err)
	if changes := *lease.Spec.LeaseTransitions; changes < 1 {
		t.Errorf("%d changes of leader", changes)
	}
}

// Lists in chunks, metadata alone, events by the recorder of events.k8s.io.
func TestPagesMetadataAndEvents(t *testing.T) {
	set, where, ctx := clientset(t), namespace(t), deadline(t)
	var group sync.WaitGroup
	for i := range 25 {
		group.Go(func() {
			object := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s%02d", i)}, StringData: map[string]string{"k": strings.Repeat("v", i)}}
			_, err := set.CoreV1().Secrets(where).Create(ctx, object, metav1.CreateOptions{})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	chunks := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
		return set.CoreV1().Secrets(where).List(ctx, options)
	}))
	chunks.PageSize = 10
	seen := 0
	must(t, chunks.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error {
		seen++
		return nil
	}))
	if seen != 25 {
		t.Errorf("%d secrets in chunks", seen)
	}
	only, err := metadata.NewForConfig(config(t))
	must(t, err)
	parts, err := only.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(where).List(ctx, metav1.ListOptions{})
	must(t, err)
	if len(parts.Items) != 25 || parts.Items[0].UID == "" {
		t.Errorf("metadata of %d secrets, the first: %+v", len(parts.Items), parts.Items[0])
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: set.EventsV1()})
	must(t, broadcaster.StartRecordingToSinkWithContext(ctx))
	defer broadcaster.Shutdown()
	secret, err := set.CoreV1().Secrets(where).Get(ctx, "s01", metav1.GetOptions{})
	must(t, err)
	recorder := broadcaster.NewRecorder(scheme.Scheme, "example.com/tester")
	recorder.Eventf(secret, nil, corev1.EventTypeNormal, "Looked", "Looking", "looked at %s", secret.Name)
	must(t, wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		found, err := set.CoreV1().Events(where).List(ctx, metav1.ListOptions{FieldSelector: "reason=Looked,involvedObject.name=s01"})
		return err == nil && len(found.Items) == 1 && found.Items[0].Message == "looked at s01", err
	}))
}

// The OpenAPI documents and the discovery as client-go reads them, and warnings as it hears them.
func TestDocumentsAndWarnings(t *testing.T) {
	set := clientset(t)
	_, resources, failed, err := set.Discovery().(interface {
		GroupsAndMaybeResources() (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error)
	}).GroupsAndMaybeResources()
	must(t, err)
	if len(failed) != 0 || len(resources) < 20 {
		t.Errorf("aggregated discovery: %d group versions, failed %v", len(resources), failed)
	}
	document, err := set.Discovery().OpenAPISchema()
	must(t, err)
	if len(document.Definitions.AdditionalProperties) < 500 {
		t.Errorf("OpenAPI v2 has %d definitions", len(document.Definitions.AdditionalProperties))
	}
	paths, err := set.Discovery().OpenAPIV3().Paths()
	must(t, err)
	for path, group := range paths {
		text, err := group.Schema("application/com.github.proto-openapi.spec.v3@v1.0+protobuf")
		must(t, err)
		if len(text) == 0 {
			t.Errorf("OpenAPI v3 of %s is empty", path)
		}
	}
	var heard bytes.Buffer
	cfg := config(t)
	cfg.WarningHandler = rest.NewWarningWriter(&heard, rest.WarningWriterOptions{})
	warned, err := kubernetes.NewForConfig(cfg)
	must(t, err)
	_, err = warned.CoreV1().ComponentStatuses().List(deadline(t), metav1.ListOptions{})
	must(t, err)
	if !strings.Contains(heard.String(), "v1 ComponentStatus is deprecated in v1.19+") {
		t.Errorf("heard %q", heard.String())
	}
}
