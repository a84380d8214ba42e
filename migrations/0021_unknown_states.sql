-- Jobs in states that only a newer version knows: whoever asks whether there are any reads no other job. It is empty
-- until then. A later version that has more states makes it anew.
create index jobs_in_unknown_state on jobs (id) where state not in
  ('queued', 'claimed', 'delivered', 'registered', 'running', 'completed', 'cancelled', 'lost');
