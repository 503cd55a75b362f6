/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* uevent ACTION DEVPATH [KEY=VALUE]...: have the kernel send this event to the listeners in this
 * network namespace, as if it came from the device. The kernel accepts such a message from root
 * since 4.18 (lib/kobject_uevent.c, uevent_net_rcv_skb). */

#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZE 4096

static size_t put(char *text, size_t at, const char *a, const char *b)
{
	int n = snprintf(text + at, SIZE - at, "%s%s", a, b);

	return n < 0 || (size_t)n >= SIZE - at ? SIZE : at + (size_t)n + 1;
}

int main(int argc, char *argv[])
{
	static struct {
		struct nlmsghdr header;
		char text[SIZE];
	} message;
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	size_t length;

	if (argc < 3) {
		fprintf(stderr, "usage: uevent ACTION DEVPATH [KEY=VALUE]...\n");
		return 2;
	}
	length = put(message.text, 0, argv[1], "@") - 1;
	length = put(message.text, length, argv[2], "");
	length = put(message.text, length, "ACTION=", argv[1]);
	length = put(message.text, length, "DEVPATH=", argv[2]);
	for (int i = 3; i < argc && length < SIZE; i++)
		length = put(message.text, length, argv[i], "");
	if (length >= SIZE) {
		fprintf(stderr, "uevent: too long\n");
		return 2;
	}
	message.header.nlmsg_len = (unsigned)(sizeof message.header + length);
	message.header.nlmsg_type = NLMSG_MIN_TYPE;
	message.header.nlmsg_flags = NLM_F_REQUEST;
	if (fd < 0 || sendto(fd, &message, message.header.nlmsg_len, 0, (const void *)&kernel,
			     sizeof kernel) < 0) {
		perror("uevent");
		return 1;
	}
	close(fd);
	return 0;
}
