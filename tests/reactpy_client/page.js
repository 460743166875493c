// SPDX-License-Identifier: MIT
// The page's script: the published client as it is.
import { mount, SimpleReactPyClient } from '@reactpy/client';

const q = new URLSearchParams(location.search);
mount(document.getElementById('app'), new SimpleReactPyClient({
  serverLocation: { url: q.get('server'), route: q.get('route'), query: '' },
}));
