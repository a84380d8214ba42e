-- Each node's word about a pod is held by itself: that of the node on which the pod is counts, whoever pushed first.
alter table host_rings drop constraint host_rings_pkey;
alter table host_rings add primary key (pod_uid, node);
