package io.jrdma.tools;

import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.DeviceInfo;
import io.jrdma.verbs.PortAttributes;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jrdma devinfo}: what {@code ibv_devinfo} says, for the devices of this host, with the same field names. */
@Command(name = "devinfo", description = "List the devices of this host, their addresses and limits, like ibv_devinfo.")
final class DevinfoCommand extends ToolCommand {
    @Option(
            names = {"-l", "--list"},
            description = "Names only.")
    private boolean list;

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "DEVICE",
            description = "Only this device.")
    private @Nullable String only;

    @Option(
            names = {"-v", "--verbose"},
            description = "All limits too.")
    private boolean verbose;

    @Option(names = "--json", description = "Everything as JSON.")
    private boolean json;

    @Override
    public Integer call() {
        Map<String, List<DeviceInfo>> devices = byName(RdmaDevice.list());
        if (only != null) {
            List<DeviceInfo> chosen = devices.get(only);
            if (chosen == null) {
                throw ToolException.usage("-d " + only + ": no such device; there are " + devices.keySet());
            }
            devices = Map.of(only, chosen);
        }
        if (json) {
            List<Object> all = new ArrayList<>();
            devices.forEach((name, at) -> all.add(list ? name : describe(name, at)));
            print(Json.text(all));
        } else if (list) {
            print(devices.size() + (devices.size() == 1 ? " device found:" : " devices found:"));
            devices.keySet().forEach(name -> print("\t" + name));
        } else {
            devices.forEach((name, at) -> printText(describe(name, at)));
        }
        return ExitCode.DONE;
    }

    private static Map<String, List<DeviceInfo>> byName(List<DeviceInfo> all) {
        Map<String, List<DeviceInfo>> devices = new LinkedHashMap<>();
        for (DeviceInfo device : all) {
            devices.computeIfAbsent(device.name(), name -> new ArrayList<>()).add(device);
        }
        return devices;
    }

    /** The fields in the order of ibv_devinfo; nested maps are indented. */
    private Map<String, Object> describe(String name, List<DeviceInfo> at) {
        DeviceInfo first = at.getFirst();
        try (RdmaDevice device = RdmaDevice.open(first.transport(), first.address())) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("hca_id", name);
            fields.put("transport", transport(first.transport()));
            fields.put("interface", first.interfaceName());
            fields.put(
                    "addresses",
                    at.stream().map(info -> Addresses.plain(info.address())).toList());
            fields.put("phys_port_cnt", 1);
            if (verbose || json) {
                putLimits(fields, device.attributes());
            }
            fields.put("port", port(device.port()));
            return fields;
        }
    }

    private static String transport(Transport transport) {
        return switch (transport) {
            case IWARP -> "iWARP (1)";
            case ROCE_V2 -> "InfiniBand (0)";
        };
    }

    private static void putLimits(Map<String, Object> fields, DeviceAttributes limits) {
        fields.put("max_mr_size", limits.maxMrSize());
        fields.put("max_msg_sz", limits.maxMessageSize());
        fields.put("max_qp", limits.maxQp());
        fields.put("max_qp_wr", limits.maxQpWr());
        fields.put("max_sge", limits.maxSge());
        fields.put("max_sge_rd", limits.maxSgeRead());
        fields.put("max_inline_data", limits.maxInlineData());
        fields.put("max_cq", limits.maxCq());
        fields.put("max_cqe", limits.maxCqe());
        fields.put("max_mr", limits.maxMr());
        fields.put("max_pd", limits.maxPd());
        fields.put("max_qp_rd_atom", limits.maxQpRdAtomic());
        fields.put("max_qp_init_rd_atom", limits.maxQpInitRdAtomic());
        fields.put("qp_types", sorted(limits.qpTypes()));
        fields.put("operations", sorted(limits.sendOpcodes()));
        fields.put("completion", limits.completionSemantics().name());
    }

    private static <E extends Enum<E>> List<String> sorted(Iterable<E> values) {
        TreeSet<E> inOrder = new TreeSet<>();
        values.forEach(inOrder::add);
        return inOrder.stream().map(Enum::name).toList();
    }

    private static Map<String, Object> port(PortAttributes port) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("number", 1);
        fields.put("state", "PORT_" + port.state() + " (" + code(port.state()) + ")");
        fields.put("max_mtu", port.maxMtu());
        fields.put("active_mtu", port.activeMtu());
        fields.put("interface_mtu", port.interfaceMtu());
        fields.put("link_layer", port.linkLayer());
        return fields;
    }

    /** The number that C programs print behind the name. */
    private static int code(PortAttributes.State state) {
        return switch (state) {
            case NOP -> 0;
            case DOWN -> 1;
            case INIT -> 2;
            case ARMED -> 3;
            case ACTIVE -> 4;
        };
    }

    private void printText(Map<String, Object> fields) {
        fields.forEach((name, value) -> {
            switch (value) {
                case Map<?, ?> port -> {
                    line("\t", name, Objects.requireNonNull(port.get("number")));
                    port.forEach((field, text) -> {
                        if (!"number".equals(field)) {
                            line("\t\t", field, text);
                        }
                    });
                }
                case List<?> items -> items.forEach(item -> line("\t", name, item));
                default -> line("hca_id".equals(name) ? "" : "\t", name, value);
            }
        });
    }

    private void line(String indent, Object name, Object value) {
        print(indent + "%-24s%s".formatted(name + ":", value));
    }
}
